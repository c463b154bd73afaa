/** The copy screen: choosing whom to copy, sizing it, connecting a wallet, making an agent, and following it. */
import type { Leader, Venue } from '@mirrorworthy/client';
import { useEffect, useReducer, useRef } from 'preact/hooks';
import { useAnswer } from '../answer';
import { Answered, Card } from '../parts/state';
import { Address, traderRoute } from '../parts/text';
import { type Chain, hrefOf, isChain, type Route } from '../route';
import { useSession } from '../session';
import { venueName } from '../words';
import { AgentPage } from './copy/agent';
import { AgentForm } from './copy/agent-form';
import { Agents } from './copy/agents';
import { ChooseLeader, LeaderCard } from './copy/choose';
import { ConnectWallet } from './copy/connect';
import './copy/copy.css';
import { Tick } from './copy/field';
import { type Advice, canGoTo, type Flow, nextOf, onPaperAlone, type Stage, stages, startOf } from './copy/flow';
import { SizePerps } from './copy/size-perps';
import { SizeSpot } from './copy/size-spot';
import { useWallet } from './copy/use-wallet';
import { isVenue, perps, prediction, spot, type VenueName } from './copy/venue';

const stageNames: Record<Stage, string> = {
  choose: 'Choose a leader',
  size: 'Size the copy',
  wallet: 'Connect a wallet',
  agent: 'Make the agent',
};

/** What the service has no sizing for. */
const unsized: Advice = {
  copy: null,
  lines: ['The service has no plan for prediction markets. The limits are yours alone to set.'],
  suggested: {},
};

/** What whoever goes on says to have read. */
function promise(flow: Flow): string {
  if (flow.advice === null) {
    return 'I go on without asking the service how much should follow, on paper: no money moves.';
  }
  if (flow.advice.copy === false) {
    return 'I have read that the service says not to copy, and why. I go on all the same, on paper: no money moves.';
  }
  return flow.advice.lines.length > 0 ? 'I have read the warnings and what is left out.' : 'I have read what the service says.';
}

function paperAloneBecause(flow: Flow): string | null {
  if (!onPaperAlone(flow)) {
    return null;
  }
  return flow.advice === null
    ? 'On paper only: the service was not asked how much should follow.'
    : 'On paper only: the service says not to copy this leader.';
}

/** The leader's row of the venue's board; null where the board has none, which has no bound but its end. */
function useLeader(venue: VenueName, leader: string, chain: Chain | null) {
  return useAnswer(`leader ${venue} ${chain} ${leader}`, async (client, signal): Promise<{ row: Leader | null }> => {
    const wanted = leader.toLowerCase();
    for await (const row of client.listLeaders({ venue, ...(venue === spot && chain !== null ? { chain } : {}) }, { signal })) {
      if (row.address.toLowerCase() === wanted) {
        return { row };
      }
    }
    return { row: null };
  });
}

function Stepper(props: { flow: Flow; to: (stage: Stage) => void }) {
  const { flow } = props;
  return (
    <ol class="stepper" aria-label="Stages">
      {stages.map((stage, i) => (
        <li key={stage} aria-current={stage === flow.stage ? 'step' : undefined}>
          <button type="button" disabled={stage === flow.stage || !canGoTo(flow, stage)} onClick={() => props.to(stage)}>
            {i + 1}. {stageNames[stage]}
          </button>
        </li>
      ))}
    </ol>
  );
}

function CopyOf(props: { venue: Venue; leader: string; chain: Chain | null }) {
  const { venue, leader } = props;
  const { now } = useSession();
  const { wallet } = useWallet();
  const signedIn = wallet?.client != null;
  const [flow, tell] = useReducer(nextOf, signedIn, startOf);
  const row = useLeader(venue.venue, leader, props.chain);
  const found = row.answer?.row?.chain;
  const chain = props.chain ?? (isChain(found) ? found : null);
  const heading = useRef<HTMLHeadingElement>(null);
  const first = useRef(true);
  useEffect(() => tell({ type: 'signed', in: signedIn }), [signedIn]);
  useEffect(() => {
    if (venue.venue === prediction) {
      tell({ type: 'advised', advice: unsized });
    }
  }, [venue.venue]);
  useEffect(() => {
    if (first.current) {
      first.current = false;
      return;
    }
    heading.current?.focus();
  }, [flow.stage]);
  const advise = (advice: Advice | null) => tell(advice === null ? { type: 'outdated' } : { type: 'advised', advice });
  const sized = flow.advice;
  return (
    <>
      <Stepper flow={flow} to={(stage) => tell({ type: 'to', stage })} />
      <p class="row">
        <span>
          To copy: <Address address={leader} to={traderRoute(leader, chain, venue.venue)} /> · {venueName(venue.venue)}
          {venue.venue === spot && chain !== null ? ` on ${chain}` : ''}
        </span>
        <a href={hrefOf({ screen: 'copy', venue: venue.venue })}>Choose another</a>
      </p>
      <section class="card" aria-labelledby="stage-title">
        <h2 id="stage-title" tabIndex={-1} ref={heading}>
          {stageNames[flow.stage]}
        </h2>
        {flow.stage === 'choose' && (
          <>
            <Answered asked={row} what="Asking for the leader">
              {({ row: found }) =>
                found === null ? (
                  <p class="notice" role="note">
                    This wallet is not among the venue’s leaders: it did not pass the gate, or nobody has looked at it yet. Its page and the
                    plan say more.
                  </p>
                ) : (
                  <LeaderCard leader={found} now={now()} open />
                )
              }
            </Answered>
            <button type="button" class="primary" onClick={() => tell({ type: 'chosen' })}>
              How much should follow?
            </button>
          </>
        )}
        {/* What was asked and answered stays while one goes on and comes back. */}
        <div hidden={flow.stage !== 'size'}>
          {flow.reached !== 'choose' && (
            <>
              {venue.venue === spot &&
                (chain === null ? (
                  <p class="notice">The chain of this leader is not known. Choose it from the leaders, or from its page.</p>
                ) : (
                  <SizeSpot
                    leader={leader}
                    chain={chain}
                    wallet={wallet?.address ?? null}
                    disclosure={row.answer?.row?.disclosure ?? null}
                    onAdvice={advise}
                  />
                ))}
              {venue.venue === perps && row.answer && <SizePerps leader={leader} grade={row.answer.row?.grade ?? null} onAdvice={advise} />}
              {venue.venue === prediction && <p>{unsized.lines[0]}</p>}
              <div class="go-on">
                <Tick checked={flow.read} onChange={(read) => tell({ type: 'read', read })}>
                  {promise(flow)}
                </Tick>
                <button type="button" class="primary" disabled={!flow.read} onClick={() => tell({ type: 'sized' })}>
                  Go on
                </button>
              </div>
            </>
          )}
        </div>
        {flow.stage === 'wallet' && <ConnectWallet />}
        {flow.stage === 'agent' && (
          <AgentForm
            venue={venue}
            leader={leader}
            chain={chain}
            suggested={sized?.suggested ?? {}}
            paperAlone={paperAloneBecause(flow)}
            onMade={(agentId) => {
              window.location.hash = hrefOf({ screen: 'agent', agentId });
            }}
          />
        )}
      </section>
    </>
  );
}

function NewCopy(props: { route: Extract<Route, { screen: 'copy' }> }) {
  const { leader, chain, venue: named } = props.route;
  const { now } = useSession();
  const venues = useAnswer('venues', (client, signal) => client.listVenues({ signal }));
  const wanted = named ?? (chain ? spot : undefined);
  return (
    <Answered asked={venues} what="Asking for the venues">
      {(offered) => {
        const venue = offered.find((each) => each.venue === (wanted ?? spot));
        if (venue === undefined || (wanted !== undefined && !isVenue(wanted))) {
          return (
            <p class="notice" role="alert">
              The service has no venue <code>{wanted}</code>. <a href={hrefOf({ screen: 'copy' })}>To the venues</a>
            </p>
          );
        }
        return leader !== undefined ? (
          <CopyOf key={`${venue.venue} ${leader} ${chain}`} venue={venue} leader={leader} chain={chain ?? null} />
        ) : (
          <Card title="Choose a leader">
            <ChooseLeader key={venue.venue} venues={offered} venue={venue.venue} chain={chain ?? null} now={now} />
          </Card>
        );
      }}
    </Answered>
  );
}

function YourAgents() {
  const { wallet } = useWallet();
  return (
    <Card title="Your agents">
      {wallet?.client != null ? (
        <Agents />
      ) : (
        <details class="unfold">
          <summary>Sign in with your wallet to see its agents</summary>
          <ConnectWallet />
        </details>
      )}
    </Card>
  );
}

export function Copy(props: { route: Route }) {
  const { route } = props;
  if (route.screen === 'agent') {
    return (
      <div class="copy">
        <AgentPage key={route.agentId} agentId={route.agentId} />
      </div>
    );
  }
  if (route.screen !== 'copy') {
    return null;
  }
  return (
    <div class="copy">
      <div class="page-head">
        <h1>Copy a leader</h1>
        <p>An agent mirrors a wallet’s trades within the limits that you set. You see what each step permits before you sign it.</p>
      </div>
      <NewCopy route={route} />
      <YourAgents />
    </div>
  );
}
