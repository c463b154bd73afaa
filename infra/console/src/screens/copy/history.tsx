/** What an agent did, and what it did not do and why, as it comes. */
import type { Execution } from '@mirrorworthy/client';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type Problem, usePolling } from '../../answer';
import { ProblemNote } from '../../parts/state';
import { Measure, Measures, Tag } from '../../parts/text';
import { hrefOf } from '../../route';
import { count, instant, notMeasured, number, word } from '../../words';
import { announcementOf, continued, lookedAt, type Shown } from './executions';
import { Choice } from './field';
import { walletProblemOf } from './problems';
import { ExecutionStatus } from './status';
import { useWallet } from './use-wallet';
import { perps } from './venue';

/** How often it is looked, in milliseconds. */
const every = 10_000;

const statuses: readonly (Execution['status'] | 'all')[] = ['all', 'executed', 'partial', 'skipped', 'failed', 'submitted', 'detected'];

/** A price of a coin, token or share in USD, in as many digits as tell it apart. */
export function priceOf(value: number | null): string {
  return value === null ? notMeasured : `${new Intl.NumberFormat('en', { maximumSignificantDigits: 6 }).format(value)} USD`;
}

/** A time in milliseconds for people. */
export function latencyOf(milliseconds: number | null): string {
  if (milliseconds === null) {
    return notMeasured;
  }
  if (milliseconds < 1000) {
    return `${milliseconds} ms`;
  }
  const seconds = milliseconds / 1000;
  return seconds < 90 ? count(Math.round(10 * seconds) / 10, 'second') : `${number(seconds / 60)} minutes`;
}

const usd = (text: string | null) => (text === null ? null : `${text} USD`);

function Row(props: { execution: Execution; fresh: boolean }) {
  const { execution } = props;
  const { asset } = execution;
  const skipped = execution.status === 'skipped' || execution.status === 'failed';
  return (
    <li class={`execution${props.fresh ? ' fresh' : ''}`}>
      <p class="row">
        <ExecutionStatus status={execution.status} />
        <strong>
          {word(execution.leg)} {execution.side}{' '}
          {asset.chain && asset.address ? (
            <a href={hrefOf({ screen: 'token', chain: asset.chain, token: asset.address })}>{asset.name}</a>
          ) : (
            asset.name
          )}
        </strong>
        {execution.skipReason && <Tag tone="unknown">{execution.skipReason}</Tag>}
        {props.fresh && <Tag tone="plain">New</Tag>}
        <span class="fine">{instant(execution.detectedAt)}</span>
      </p>
      <p class="why">{execution.reason}</p>
      <Measures>
        <Measure label="Leader’s price">{priceOf(execution.leaderPrice)}</Measure>
        {!skipped && (
          <>
            <Measure label="Our price">{priceOf(execution.price)}</Measure>
            <Measure label="Slippage">
              {execution.slippageBps === null
                ? null
                : `${number(Math.abs(execution.slippageBps))} bps ${execution.slippageBps > 0 ? 'worse' : execution.slippageBps < 0 ? 'better' : 'apart'}`}
            </Measure>
            <Measure label="After the leader by">{latencyOf(execution.latencyMs)}</Measure>
            <Measure label="Of the leader’s quantity">
              {execution.copyRatio === null ? null : `${number(100 * execution.copyRatio, 3)} %`}
            </Measure>
            <Measure label="Size">{usd(execution.sizeUsd)}</Measure>
            <Measure label="Cost of the limit">{usd(execution.costUsd)}</Measure>
            <Measure label="Fee">{usd(execution.feeUsd)}</Measure>
            {execution.venue === perps && (
              <>
                <Measure label="Leverage">{execution.leverage === null ? null : `${number(execution.leverage)}x`}</Measure>
                <Measure label="Funding">{usd(execution.fundingUsd)}</Measure>
              </>
            )}
            {execution.leg === 'close' && <Measure label="Result">{usd(execution.realizedUsd)}</Measure>}
          </>
        )}
        {skipped && execution.slippageBps !== null && <Measure label="Slippage">{`${number(execution.slippageBps)} bps`}</Measure>}
      </Measures>
    </li>
  );
}

/** `looks` changes whenever there is reason to look at once. */
export function History(props: { agentId: string; looks: number }) {
  const { wallet, noteOf } = useWallet();
  const client = wallet?.client ?? null;
  const [status, setStatus] = useState<Execution['status'] | 'all'>('all');
  const [shown, setShown] = useState<Shown | null>(null);
  const [news, setNews] = useState<{ ids: ReadonlySet<string>; text: string }>({ ids: new Set(), text: '' });
  const [problem, setProblem] = useState<Problem | null>(null);
  const [asking, setAsking] = useState(false);
  const latest = useRef<Shown | null>(null);
  const looking = useRef<AbortController | null>(null);

  const keep = (next: Shown | null) => {
    latest.current = next;
    setShown(next);
  };
  const ask = useCallback(
    async (cursor: string | null) => {
      if (client === null) {
        return;
      }
      looking.current?.abort();
      const given = new AbortController();
      looking.current = given;
      setAsking(true);
      try {
        const filter = { ...(status === 'all' ? {} : { status }), ...(cursor === null ? {} : { cursor }) };
        const page = await client.listExecutions(props.agentId, filter, { signal: given.signal });
        if (given.signal.aborted) {
          return;
        }
        setProblem(null);
        if (cursor !== null && latest.current !== null) {
          keep(continued(latest.current, page));
          return;
        }
        const { shown: next, fresh } = lookedAt(latest.current, page);
        keep(next);
        if (fresh.length > 0) {
          setNews({ ids: new Set(fresh.map((each) => each.executionId)), text: announcementOf(fresh) });
        }
      } catch (error) {
        if (!given.signal.aborted) {
          noteOf(error);
          setProblem(walletProblemOf(error));
        }
      } finally {
        if (looking.current === given) {
          looking.current = null;
          setAsking(false);
        }
      }
    },
    [client, props.agentId, status],
  );
  // Another list has nothing to compare with.
  useEffect(() => {
    keep(null);
    setNews({ ids: new Set(), text: '' });
  }, [props.agentId, status]);
  useEffect(() => {
    void ask(null);
    return () => looking.current?.abort();
  }, [ask, props.looks]);
  const poll = useCallback(() => {
    if (looking.current === null) {
      void ask(null);
    }
  }, [ask]);
  usePolling(every, poll, client !== null);
  return (
    <div class="history" aria-busy={asking}>
      <Choice
        label="Show"
        value={status}
        options={statuses.map((each) => ({ value: each, label: each === 'all' ? 'All' : word(each) }))}
        onChange={setStatus}
      />
      <p class="fine" role="status" aria-live="polite">
        {news.text}
      </p>
      {problem && <ProblemNote problem={problem} again={() => void ask(null)} />}
      {shown === null ? (
        asking && (
          <p class="waiting" role="status">
            Asking for the executions…
          </p>
        )
      ) : shown.rows.length === 0 ? (
        <p class="empty" role="status">
          {status === 'all'
            ? 'Nothing yet: the leader has done nothing since the activation.'
            : `No execution is ${word(status).toLowerCase()}.`}
        </p>
      ) : (
        <ul class="executions" aria-label="Executions">
          {shown.rows.map((execution) => (
            <Row key={execution.executionId} execution={execution} fresh={news.ids.has(execution.executionId)} />
          ))}
        </ul>
      )}
      {shown !== null && shown.nextCursor !== null && (
        <button type="button" disabled={asking} onClick={() => void ask(shown.nextCursor)}>
          Older ones
        </button>
      )}
    </div>
  );
}
