/** The page of one token: what the bundle and the risk say, and what changes while it is open. */
import { useEffect, useId, useState } from 'preact/hooks';
import { type Asked, useAnswer } from '../../answer';
import { Answered, isSlotError, NotAToken, Slot } from '../../parts/state';
import { Address } from '../../parts/text';
import type { Chain } from '../../route';
import { instant } from '../../words';
import { ChangesLog } from './changes';
import { SignalHead } from './signal';
import { ExitRisk, Holders, Inflection, Narrative, PriceAction, Profile, Risk, SmartMoney, Valuation } from './slots';
import { useChanges } from './use-changes';
import './token.css';

/** The sizes of the sample of buyers that the service takes. */
const samples = Array.from({ length: 17 }, (_, i) => i + 4);
const usualSample = 12;

export function TokenPage(props: { token: string; chain: Chain }) {
  const { token, chain } = props;
  const [chosen, setChosen] = useState(usualSample);
  const [sample, setSample] = useState(usualSample);
  const overview = useAnswer(`token-overview ${chain} ${token} ${sample}`, (client, signal) =>
    client.post('/token-overview', { token, chain, sample }, { signal }),
  );
  const risk = useAnswer(`token-risk ${chain} ${token}`, (client, signal) => client.post('/token-risk', { token, chain }, { signal }));
  const { answer } = overview;
  const notAToken = answer !== undefined && isSlotError(answer.tokenSignal) && answer.tokenSignal.error === 'not_a_token';
  const watched = answer !== undefined && !notAToken;
  const watch = useChanges(token, chain, watched);
  // The bundle is a look too: the service records a snapshot with it.
  useEffect(() => {
    if (answer !== undefined && !isSlotError(answer.tokenChanges)) {
      const verdict = isSlotError(answer.tokenSignal) ? null : answer.tokenSignal.riskVerdict;
      watch.add({ at: overview.at ?? new Date(), answer: answer.tokenChanges, risk: verdict });
    }
  }, [answer]);
  const sampleId = useId();
  const lookAgain = () => {
    risk.again();
    if (chosen === sample) {
      overview.again();
    } else {
      setSample(chosen);
    }
  };
  return (
    <>
      <div class="page-head">
        <div>
          <h1>
            Token on {chain} <Address address={token} />
          </h1>
          {overview.at && <p>As of {instant(overview.at.toISOString())}</p>}
        </div>
        <div class="row look-again">
          <div class="field">
            <label for={sampleId}>Buyers to grade</label>
            <select id={sampleId} value={chosen} onChange={(event) => setChosen(Number(event.currentTarget.value))}>
              {samples.map((n) => (
                <option key={n} value={n}>
                  {n}
                </option>
              ))}
            </select>
          </div>
          <button type="button" onClick={lookAgain} disabled={overview.asking}>
            Look again
          </button>
        </div>
      </div>
      {overview.problem?.code === 'not_a_token' && answer === undefined ? (
        <section class="card">
          <h2>Not a token</h2>
          <NotAToken message={overview.problem.message} />
        </section>
      ) : (
        <Answered asked={overview} what="Looking at the token">
          {(found) => (
            <div class="grid">
              <Slot title="Signal" slot={found.tokenSignal} again={overview.again} wide>
                {(slot) => (
                  <SignalHead signal={slot} risk={risk} otherwise={isSlotError(found.tokenIntel) ? null : found.tokenIntel.risk.flags} />
                )}
              </Slot>
              <div class="span-two">
                <Slot title="Price structure" slot={found.tokenPriceAction} again={overview.again}>
                  {(slot) => <PriceAction slot={slot} />}
                </Slot>
              </div>
              <Slot title="Changes" slot={found.tokenChanges} again={overview.again}>
                {() => <ChangesLog watch={watch} on={watched} />}
              </Slot>
              <RiskCard risk={risk} />
              <Slot title="Narrative" slot={found.tokenNarrative} again={overview.again}>
                {(slot) => <Narrative slot={slot} />}
              </Slot>
              <Slot title="Exit risk" slot={found.exitRisk} again={overview.again}>
                {(slot) => <ExitRisk slot={slot} />}
              </Slot>
              <div class="span-two">
                <Slot title="Profile" slot={found.tokenIntel} again={overview.again}>
                  {(slot) => (
                    <Profile slot={slot} flagsAbove={isSlotError(found.tokenSignal) ? null : (risk.answer?.flags ?? slot.risk.flags)} />
                  )}
                </Slot>
              </div>
              <Slot title="Smart money" slot={found.smartMoneyFlow} again={overview.again}>
                {(slot) => <SmartMoney slot={slot} />}
              </Slot>
              <Slot title="Holders" slot={found.tokenHoldersInsight} again={overview.again}>
                {(slot) => <Holders slot={slot} />}
              </Slot>
              <Slot title="Inflection" slot={found.tokenInflection} again={overview.again}>
                {(slot) => <Inflection slot={slot} />}
              </Slot>
              <Slot title="Valuation" slot={found.tokenValuation} again={overview.again}>
                {(slot) => <Valuation slot={slot} />}
              </Slot>
            </div>
          )}
        </Answered>
      )}
    </>
  );
}

/** The risk is asked beside the bundle, and fails in its own place as the bundle's slots do. */
function RiskCard(props: { risk: Asked<Parameters<typeof Risk>[0]['answer']> }) {
  const { risk } = props;
  const failed = risk.problem && risk.answer === undefined ? { error: risk.problem.code, message: risk.problem.message } : null;
  return failed ? (
    <Slot title="Risk" slot={failed} again={risk.again}>
      {() => null}
    </Slot>
  ) : (
    <section class="card" aria-labelledby="card-risk">
      <header class="card-head">
        <h2 id="card-risk">Risk</h2>
      </header>
      <Answered asked={risk} what="Asking for the risk">
        {(answer) => <Risk answer={answer} />}
      </Answered>
    </section>
  );
}
