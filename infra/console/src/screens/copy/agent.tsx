/** An agent's page: what it is, activating it, pausing and stopping it, and what it did. */
import type { Agent } from '@mirrorworthy/client';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type Problem, usePolling } from '../../answer';
import { Answered, Card, ProblemNote } from '../../parts/state';
import { Address, Measure, Measures, Tag, traderRoute } from '../../parts/text';
import { hrefOf } from '../../route';
import { useSession } from '../../session';
import { duration, instant, number, venueName } from '../../words';
import { ActivateAgent } from './activation';
import { ConnectWallet } from './connect';
import { credentialsAt } from './credentials';
import { History } from './history';
import { walletProblemOf } from './problems';
import { letPass } from './sample';
import { AgentStatus } from './status';
import { useWallet, useWalletAnswer } from './use-wallet';
import { perps } from './venue';

/** How often an agent's state is asked for, in milliseconds. */
const every = 20_000;

const words: Record<Agent['status'], string> = {
  pending_activation: 'It does nothing yet: your wallet has to activate it.',
  active: 'It mirrors the leader within its limits.',
  paused: 'It opens nothing, and still mirrors the leader’s closes.',
  expired: 'Its credentials have ended, so it opens nothing. Activate it again to go on; resuming does not help.',
  stopped: 'It has ended for good. What it had open stays open, and is closed at the venue.',
};

function Limits(props: { agent: Agent }) {
  const { riskConfig: risk } = props.agent;
  const none = 'No such limit';
  return (
    <Measures>
      <Measure label="At most">{risk.maxUsd} USD</Measure>
      <Measure label="Copy percent">{number(risk.copyPercent, 4)} %</Measure>
      {props.agent.venue === perps && (
        <Measure label="Highest leverage">{risk.maxLeverage === null ? 'The usual 3x' : `${number(risk.maxLeverage)}x`}</Measure>
      )}
      <Measure label="A position at most">{risk.perPositionCapPct === null ? none : `${number(risk.perPositionCapPct, 2)} %`}</Measure>
      <Measure label="Slippage at most">{risk.maxSlippageBps === null ? none : `${risk.maxSlippageBps} bps`}</Measure>
      <Measure label="Loss a day at most">{risk.dailyLossUsd === null ? none : `${risk.dailyLossUsd} USD`}</Measure>
      <Measure label="Opens what the leader held">{risk.copyExisting ? 'Yes' : 'No'}</Measure>
      <Measure label="Never opens">{risk.excludeTokens.length === 0 ? 'Nothing left out' : risk.excludeTokens.join(', ')}</Measure>
    </Measures>
  );
}

function Credentials(props: { agent: Agent; now: number }) {
  const { agent } = props;
  const credentials = credentialsAt(agent.credentialsExpireAt, props.now);
  if (agent.status === 'stopped' || credentials.state === 'none') {
    return null;
  }
  // The service knows best what time it is.
  const ended = agent.status === 'expired' || credentials.state === 'past';
  return credentials.state === 'held' && !ended ? (
    <p class="fine">Its credentials hold until {instant(agent.credentialsExpireAt)}.</p>
  ) : (
    <p class="notice" role="alert">
      {ended
        ? `Its credentials ended at ${instant(agent.credentialsExpireAt)}. Activate it again.`
        : `Its credentials end in ${duration(credentials.secondsLeft ?? 0)}, at ${instant(agent.credentialsExpireAt)}. After that it opens nothing until you activate it again.`}
    </p>
  );
}

type Verb = 'pause' | 'resume' | 'stop';

function Controls(props: { agent: Agent; onMoved: () => void }) {
  const { agent } = props;
  const { wallet, noteOf } = useWallet();
  const [doing, setDoing] = useState<Verb | null>(null);
  const [stopping, setStopping] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const sure = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (stopping) {
      sure.current?.focus();
    }
  }, [stopping]);
  const move = async (verb: Verb) => {
    const client = wallet?.client;
    if (!client) {
      return;
    }
    setDoing(verb);
    setProblem(null);
    try {
      await client[verb](agent.agentId);
      setStopping(false);
    } catch (error) {
      noteOf(error);
      setProblem(walletProblemOf(error));
    } finally {
      setDoing(null);
      props.onMoved();
    }
  };
  if (agent.status === 'stopped') {
    return null;
  }
  return (
    <div class="controls" aria-busy={doing !== null}>
      <p class="row">
        {agent.status === 'active' && (
          <button type="button" disabled={doing !== null} onClick={() => move('pause')}>
            Pause
          </button>
        )}
        {agent.status === 'paused' && (
          <button type="button" disabled={doing !== null} onClick={() => move('resume')}>
            Resume
          </button>
        )}
        {!stopping && (
          <button type="button" disabled={doing !== null} onClick={() => setStopping(true)}>
            Stop…
          </button>
        )}
      </p>
      {stopping && (
        <section class="sheet" aria-label="Stop the agent">
          <p>
            <strong>Stopping is final.</strong> The agent cannot be activated or resumed again. Copies that it has open stay open: nobody
            closes them but you, at the venue.
          </p>
          <p class="row">
            <button type="button" ref={sure} disabled={doing !== null} onClick={() => move('stop')}>
              Stop it for good
            </button>
            <button type="button" disabled={doing !== null} onClick={() => setStopping(false)}>
              Keep it
            </button>
          </p>
        </section>
      )}
      {problem && <ProblemNote problem={problem} />}
    </div>
  );
}

const spans = [
  { by: '1m', label: 'Let a minute pass' },
  { by: '1h', label: 'Let an hour pass' },
  { by: '6h', label: 'Let 6 hours pass' },
  { by: '24h', label: 'Let a day pass' },
  { by: '168h', label: 'Let a week pass' },
] as const;

/** Moving the sample market's clock. */
function Time(props: { onPassed: () => void }) {
  const { refreshMarket, now } = useSession();
  const [passing, setPassing] = useState<string | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const pass = async (by: string) => {
    setPassing(by);
    setProblem(null);
    try {
      await letPass(by);
    } catch (error) {
      setProblem(walletProblemOf(error));
    } finally {
      await refreshMarket();
      setPassing(null);
      props.onPassed();
    }
  };
  return (
    <div class="time" aria-busy={passing !== null}>
      <p>
        This is the simulated market alone: its clock can be moved, and what leaders and agents do in that time is done. It is now{' '}
        {instant(new Date(now()).toISOString())} there.
      </p>
      <p class="row">
        {spans.map(({ by, label }) => (
          <button type="button" key={by} disabled={passing !== null} onClick={() => pass(by)}>
            {label}
          </button>
        ))}
      </p>
      {passing !== null && (
        <p class="waiting" role="status">
          Time passes in the simulated market…
        </p>
      )}
      {problem && <ProblemNote problem={problem} />}
    </div>
  );
}

export function AgentPage(props: { agentId: string }) {
  const { market, now } = useSession();
  const { wallet } = useWallet();
  const [looks, setLooks] = useState(0);
  const asked = useWalletAnswer(`agent ${props.agentId}`, (client, signal) => client.getAgent(props.agentId, { signal }));
  const { again } = asked;
  usePolling(every, again, wallet?.client != null);
  const look = useCallback(() => {
    again();
    setLooks((n) => n + 1);
  }, [again]);
  const signedIn = wallet?.client != null;
  return (
    <>
      <div class="page-head">
        <h1>Copy agent</h1>
        <p>
          <code>{props.agentId}</code> · <a href={hrefOf({ screen: 'copy' })}>All agents, and a new copy</a>
        </p>
      </div>
      <Card title="Your wallet">
        {!signedIn && <p>An agent is shown to the wallet that owns it.</p>}
        <ConnectWallet />
      </Card>
      {signedIn && (
        <Answered asked={asked} what="Asking for the agent">
          {(agent) => (
            <>
              <Card title="The agent" head={<AgentStatus status={agent.status} />}>
                <p class="row">
                  <span>
                    Mirrors{' '}
                    <Address address={agent.leaderWalletAddress} to={traderRoute(agent.leaderWalletAddress, agent.chain, agent.venue)} />
                  </span>
                  <Tag>
                    {venueName(agent.venue)}
                    {agent.chain ? ` on ${agent.chain}` : ''}
                  </Tag>
                  <Tag tone={agent.mode === 'live' ? 'caution' : 'plain'}>
                    {agent.mode === 'live' ? 'Live: moves money' : 'Paper: no money moves'}
                  </Tag>
                </p>
                <p>{words[agent.status]}</p>
                <Credentials agent={agent} now={now()} />
                <Limits agent={agent} />
                <p class="fine">
                  Trades from <Address address={agent.smartAccountAddress} /> · made {instant(agent.createdAt)}
                  {agent.activatedAt ? ` · activated ${instant(agent.activatedAt)}` : ' · never activated'}
                </p>
                <Controls agent={agent} onMoved={look} />
              </Card>
              {(agent.status === 'pending_activation' || agent.status === 'expired') && (
                <Card title={agent.status === 'expired' ? 'Activate it again' : 'Activate it'}>
                  <ActivateAgent agentId={agent.agentId} again={agent.status === 'expired'} onActive={look} />
                </Card>
              )}
              {market !== null && (
                <Card title="Time in the simulated market">
                  <Time onPassed={look} />
                </Card>
              )}
              {agent.activatedAt !== null && (
                <Card title="What it did">
                  <History agentId={agent.agentId} looks={looks} />
                </Card>
              )}
            </>
          )}
        </Answered>
      )}
    </>
  );
}
