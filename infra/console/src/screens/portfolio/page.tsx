/** The page of one wallet's portfolio: what it holds against what that risks, how exposed it is, and where it moves. */
import type { Answer } from '@mirrorworthy/client';
import { useId, useState } from 'preact/hooks';
import { useAnswer } from '../../answer';
import { Meter } from '../../parts/meter';
import { RiskVerdict, type Tone, Word } from '../../parts/risk';
import { Answered, Slot } from '../../parts/state';
import { Address, Measure, Measures, Reasons, traderRoute } from '../../parts/text';
import { type Chain, hrefOf } from '../../route';
import { instant, number, percent, share } from '../../words';
import { coverageWords, depthOf } from './positions';
import { Weights } from './weights';
import './portfolio.css';

/** How many of the largest holdings the service assesses when nothing is said. */
const usualDepth = 10;

export function PortfolioPage(props: { wallet: string; chain: Chain }) {
  const { wallet, chain } = props;
  const [depth, setDepth] = useState(usualDepth);
  const overview = useAnswer(`portfolio-overview ${chain} ${wallet} ${depth}`, (client, signal) =>
    client.post('/portfolio-overview', { wallet, chain, depth }, { signal }),
  );
  const trader = traderRoute(wallet, chain);
  return (
    <>
      <div class="page-head">
        <div>
          <h1>
            Portfolio on {chain} <Address address={wallet} to={trader} />
          </h1>
          <p>
            {overview.at && `As of ${instant(overview.at.toISOString())}. `}
            {trader && <a href={hrefOf(trader)}>How this wallet trades</a>}
          </p>
        </div>
        <DepthForm
          depth={depth}
          asking={overview.asking}
          onSubmit={(next) => {
            if (next === depth) {
              overview.again();
            } else {
              setDepth(next);
            }
          }}
        />
      </div>
      <Answered asked={overview} what="Looking at the portfolio">
        {(found) => (
          <div class="grid">
            <Slot title="Portfolio risk" slot={found.portfolioRisk} again={overview.again} wide>
              {(slot) => <Risk slot={slot} />}
            </Slot>
            <Slot title="Wallet health" slot={found.walletHealth} again={overview.again}>
              {(slot) => <Health slot={slot} />}
            </Slot>
            <Slot title="Netflow" slot={found.walletNetflow} again={overview.again}>
              {(slot) => <Netflow slot={slot} />}
            </Slot>
          </div>
        )}
      </Answered>
    </>
  );
}

/** Takes how many of the largest holdings are to be assessed. What the service does not take is told at once. */
function DepthForm(props: { depth: number; asking: boolean; onSubmit: (depth: number) => void }) {
  const id = useId();
  const [text, setText] = useState(String(props.depth));
  const [wrong, setWrong] = useState(false);
  return (
    <form
      class="row depth"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        const depth = depthOf(text);
        setWrong(depth === null);
        if (depth !== null) {
          props.onSubmit(depth);
        }
      }}
    >
      <div class="field">
        <label for={id}>Largest holdings to assess</label>
        <input
          id={id}
          inputMode="numeric"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          autocomplete="off"
          aria-invalid={wrong}
          aria-describedby={wrong ? `${id}-wrong` : undefined}
        />
        {wrong && (
          <p class="wrong" id={`${id}-wrong`} role="alert">
            A whole number from 1 to 50.
          </p>
        )}
      </div>
      <button type="submit" disabled={props.asking}>
        Look again
      </button>
    </form>
  );
}

const gradeTones: Record<string, Tone> = { healthy: 'good', watch: 'caution', exposed: 'bad' };
const concentrationTones: Record<string, Tone> = { diversified: 'good', concentrated: 'caution', 'all-in': 'caution' };

function Risk(props: { slot: Answer<'PortfolioRiskAnswer'> }) {
  const { slot } = props;
  const { positions, riskyPositions } = slot;
  return (
    <>
      <p class="row portfolio-grade">
        <Word of={slot.grade} tones={gradeTones} />
        {slot.concentration !== null && <Word of={slot.concentration} tones={concentrationTones} />}
      </p>
      <p class="summary">{slot.summary}</p>
      {slot.grade !== 'no-holdings' && (
        <>
          <Meter
            label="Weighted risk"
            value={slot.weightedRisk}
            of={100}
            text={`${number(slot.weightedRisk)} of 100`}
            tone={gradeTones[slot.grade] ?? 'unknown'}
          />
          <Measures>
            <Measure label="Spread like" hint="How many equal positions are as concentrated, stablecoins left out">
              {slot.effectivePositions === null ? null : `${number(slot.effectivePositions)} equal positions`}
            </Measure>
            <Measure label="Cash" hint="The stablecoins' part of all value but dust">
              {percent(slot.cashSharePct)}
            </Measure>
            <Measure label="Adds the most risk">{slot.worstOffender}</Measure>
          </Measures>
        </>
      )}
      <Reasons reasons={slot.reasons} />
      {positions.length > 0 && <Weights positions={positions} weightedRisk={slot.weightedRisk} />}
      {slot.grade !== 'no-holdings' && (
        <>
          <h3>Risky positions</h3>
          {riskyPositions.length === 0 ? (
            <p class="soft">No position that was looked at is rated high or critical.</p>
          ) : (
            <ul class="rows" aria-label="Risky positions">
              {riskyPositions.map((position, i) => (
                <li key={`${i} ${position.symbol}`} class="risky">
                  <RiskVerdict verdict={position.risk} />
                  <span>
                    <strong>{position.symbol}</strong> <span class="soft">{percent(position.weightPct)} of the value assessed</span>
                    <br />
                    {position.reason}
                  </span>
                </li>
              ))}
            </ul>
          )}
        </>
      )}
      <h3>What was looked at</h3>
      {coverageWords(slot.coverage).map((sentence) => (
        <p key={sentence} class="soft">
          {sentence}
        </p>
      ))}
    </>
  );
}

const healthTones: Record<string, Tone> = { healthy: 'good', fair: 'caution', 'at-risk': 'bad', exposed: 'bad' };

function Health(props: { slot: Answer<'WalletHealthAnswer'> }) {
  const { slot } = props;
  return (
    <>
      <p class="row">
        <Word of={slot.health} tones={healthTones} />
      </p>
      <Meter
        label="Health"
        value={slot.healthScore}
        of={100}
        text={`${number(slot.healthScore)} of 100`}
        tone={healthTones[slot.health] ?? 'unknown'}
      />
      <h3>Recommended actions</h3>
      {slot.recommendedActions.length === 0 ? (
        <p class="soft">The service recommends none.</p>
      ) : (
        <ol class="actions" aria-label="Recommended actions">
          {slot.recommendedActions.map((action) => (
            <li key={action}>{action}</li>
          ))}
        </ol>
      )}
      <Measures>
        <Measure label="Risky spenders could take" hint="Of the portfolio, weighed by how risky they are">
          {percent(slot.exposedSharePct)}
        </Measure>
        <Measure label="Open approvals">{number(slot.openApprovals, 0)}</Measure>
        <Measure label="Without a limit">{number(slot.unlimitedApprovals, 0)}</Measure>
        <Measure label="To risky spenders">{number(slot.riskyApprovals, 0)}</Measure>
        <Measure label="Delegated" hint="Whether the account has handed its execution to a contract (EIP-7702)">
          {slot.delegated ? 'Yes' : 'No'}
        </Measure>
      </Measures>
      <Reasons reasons={slot.reasons} />
    </>
  );
}

const postureTones: Record<string, Tone> = { accumulating: 'plain', distributing: 'plain', rotating: 'plain', balanced: 'plain' };

function Netflow(props: { slot: Answer<'WalletNetflowAnswer'> }) {
  const { slot } = props;
  return (
    <>
      <p class="row">
        <Word of={slot.posture} tones={postureTones} />
      </p>
      <Meter label="Bought, by value" value={slot.buyShare} of={1} text={share(slot.buyShare)} mark={{ at: 0.5, label: 'half' }} />
      <Measures>
        <Measure label="Window">{number(slot.windowDays, 0)} days</Measure>
        <Measure label="Trades in it">{number(slot.trades, 0)}</Measure>
      </Measures>
      <Reasons reasons={slot.reasons} />
    </>
  );
}
