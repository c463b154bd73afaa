import { Client, explainStep, getAuthHeaders } from '@mirrorworthy/client';
import { injectedWallet, type Provider, requestAccounts } from '@mirrorworthy/client/injected';

/** Copies the first leader of perpetuals on paper, with at most 250 USD, and lists what was done. */
export async function copyLeader(baseUrl: string, apiKey: string, provider: Provider, confirm: (text: string) => boolean) {
  const [address = ''] = await requestAccounts(provider);
  const wallet = injectedWallet(provider, address);
  const signIn = getAuthHeaders({ baseUrl, address, chainId: 8453, signMessage: wallet.signMessage });
  const client = new Client({ baseUrl, apiKey, getAuthHeaders: signIn });

  for await (const leader of client.listLeaders({ venue: 'perpvenue-perps' })) {
    const { agentId } = await client.createAgent({
      venue: leader.venue,
      smartAccountAddress: address,
      leaderWalletAddress: leader.address,
      riskConfig: { maxUsd: '250', copyPercent: 50 },
    });
    await client.activate(agentId, wallet, {
      onRound: (steps) => {
        for (const step of steps) {
          const { title, what, why, safety, cost, walletShows } = explainStep(step);
          if (!confirm([`${title} (${cost})`, what, why, safety, walletShows].join('\n'))) {
            throw new Error('not confirmed');
          }
        }
      },
    });
    const { executions } = await client.listExecutions(agentId);
    return { agentId, executions }; // skipped ones have a skipReason, to be shown as well
  }
  return undefined; // nobody can be copied at present
}
