/** The agents of the wallet that is signed in. */
import { useState } from 'preact/hooks';
import { Answered, Empty } from '../../parts/state';
import { Tag } from '../../parts/text';
import { hrefOf } from '../../route';
import { useSession } from '../../session';
import { duration, instant, shortAddress, venueName } from '../../words';
import { credentialsAt } from './credentials';
import { AgentStatus } from './status';
import { useWalletAnswer } from './use-wallet';

const perPage = 20;

export function Agents() {
  const { now } = useSession();
  const [most, setMost] = useState(perPage);
  const asked = useWalletAnswer(`agents ${most}`, async (client, signal) => {
    const agents = [];
    for await (const agent of client.listAgents({ signal })) {
      if (agents.length === most) {
        return { agents, more: true };
      }
      agents.push(agent);
    }
    return { agents, more: false };
  });
  return (
    <Answered asked={asked} what="Asking for your agents">
      {({ agents, more }) =>
        agents.length === 0 ? (
          <Empty note={null} otherwise="This wallet has no agents yet." />
        ) : (
          <>
            <ul class="agents" aria-label="Your agents">
              {agents.map((agent) => {
                const credentials = credentialsAt(agent.credentialsExpireAt, now());
                return (
                  <li key={agent.agentId}>
                    <a href={hrefOf({ screen: 'agent', agentId: agent.agentId })}>
                      {venueName(agent.venue)}
                      {agent.chain ? ` on ${agent.chain}` : ''}: <code>{shortAddress(agent.leaderWalletAddress)}</code>
                    </a>{' '}
                    <AgentStatus status={agent.status} /> <Tag>{agent.mode}</Tag>{' '}
                    <span class="fine">
                      {agent.riskConfig.maxUsd} USD · made {instant(agent.createdAt)}
                      {credentials.state === 'near' && credentials.secondsLeft !== null
                        ? ` · credentials end in ${duration(credentials.secondsLeft)}`
                        : ''}
                    </span>
                  </li>
                );
              })}
            </ul>
            {more && (
              <button type="button" onClick={() => setMost((n) => n + perPage)}>
                More agents
              </button>
            )}
          </>
        )
      }
    </Answered>
  );
}
