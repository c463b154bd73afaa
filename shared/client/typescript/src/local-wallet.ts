/**
 * A `Signer` of a private key in memory: for servers that own a wallet, for tests, and for trying things out.
 *
 * It signs whatever it is given. Whoever uses it for somebody else's money asks that person first, in `onRound`. A person's wallet is
 * their own: its key is not for this module, and is never sent anywhere.
 */
import { createPublicClient, type Hex, http, keccak256, type PublicClient, TransactionReceiptNotFoundError } from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { WalletError } from './errors.js';
import { waitForReceipt } from './receipt.js';
import { isTypedData, type Signer, type SignerOptions, type Transaction, type TypedData } from './signer.js';
import { misfit } from './typed-data.js';

/** What else a local wallet takes. */
export interface LocalWalletOptions {
  /** How often a node is asked whether a transaction is in a block, in milliseconds; a second for undefined. */
  pollMs?: number | undefined;
  /** How long a transaction may take to be in a block, in milliseconds; ten minutes for undefined. */
  waitMs?: number | undefined;
}

/**
 * Makes a wallet of a private key, 64 hexadecimal digits with or without 0x.
 * @param nodes are addresses of JSON-RPC by chain id; without any it signs, and sends nothing
 * @throws WalletError for what is no private key; the error does not tell what it was
 */
export function localWallet(
  privateKey: string,
  nodes: { readonly [chainId: number]: string } = {},
  options: LocalWalletOptions = {},
): LocalWallet {
  const digits = /^(?:0x)?([0-9a-fA-F]{64})$/.exec(privateKey)?.[1];
  let account: PrivateKeyAccount | undefined;
  try {
    account = digits === undefined ? undefined : privateKeyToAccount(`0x${digits}`);
  } catch {
    account = undefined;
  }
  if (account === undefined) {
    throw new WalletError('not a private key');
  }
  return new LocalWallet(account, nodes, options);
}

/** A private key, and the nodes by which its transactions are sent. `localWallet` makes it. */
export class LocalWallet implements Signer {
  /** The wallet's address with its checksum. */
  readonly address: Hex;
  readonly #account: PrivateKeyAccount;
  readonly #nodes: ReadonlyMap<number, PublicClient>;
  readonly #pollMs: number;
  readonly #waitMs: number;
  /** Ends once the transaction before this one has its nonce, and the node has it. */
  #sending: Promise<unknown> = Promise.resolve();

  constructor(account: PrivateKeyAccount, nodes: { readonly [chainId: number]: string }, options: LocalWalletOptions) {
    this.#account = account;
    this.address = account.address;
    this.#nodes = new Map(Object.entries(nodes).map(([id, url]) => [Number(id), createPublicClient({ transport: http(url) })]));
    this.#pollMs = options.pollMs ?? 1000;
    this.#waitMs = options.waitMs ?? 600_000;
  }

  /** Signs a text as EIP-191 says: 65 bytes, the last 27 or 28. */
  signMessage = (text: string): Promise<string> => this.#account.signMessage({ message: text });

  /**
   * Signs typed data of EIP-712: 65 bytes, the last 27 or 28.
   * @throws WalletError for what is no typed data, or does not fit its types
   */
  signTypedData = async (typedData: TypedData): Promise<string> => {
    const wrong = isTypedData(typedData) ? misfit(typedData) : 'not typed data';
    if (wrong !== undefined) {
      throw new WalletError(wrong);
    }
    try {
      return await this.#account.signTypedData(typedData);
    } catch (cause) {
      throw new WalletError('not typed data that can be signed', { cause });
    }
  };

  /**
   * Signs a transaction of EIP-1559, sends it, and waits until it is in a block. It pays up to twice the latest block's base fee and the
   * tip that the node advises. One that could not succeed is not sent.
   * @throws WalletError; RevertedError and PendingError have the hash
   */
  sendTransaction = async (transaction: Transaction, { signal }: SignerOptions = {}): Promise<string> => {
    const { node, call } = this.#read(transaction);
    const turn = this.#sending.then(() => this.#send(node, transaction.chainId, call, signal));
    this.#sending = turn.catch(() => undefined);
    const hash = await turn;
    const ask = async () => {
      try {
        return (await node.getTransactionReceipt({ hash })).status === 'success';
      } catch (error) {
        if (error instanceof TransactionReceiptNotFoundError) {
          return undefined;
        }
        throw error;
      }
    };
    await waitForReceipt(hash, ask, { pollMs: this.#pollMs, waitMs: this.#waitMs, signal });
    return hash;
  };

  /** Holds a transaction against the wallet. */
  #read(asked: Transaction): { node: PublicClient; call: TransactionCall } {
    const node = this.#nodes.get(asked.chainId);
    if (node === undefined) {
      throw new WalletError(`there is no node of chain ${asked.chainId}`);
    }
    if (asked.from.toLowerCase() !== this.address.toLowerCase()) {
      throw new WalletError(`the transaction is from ${asked.from}, which is not this wallet`);
    }
    const { to, data = '0x', value = '0x0' } = asked;
    if (!isHex(to) || to.length !== 42) {
      throw new WalletError(`the transaction goes to ${to}, which is no address`);
    }
    if (!isHex(data) || data.length % 2 !== 0) {
      throw new WalletError('the data of the transaction is not hexadecimal with 0x');
    }
    if (!isHex(value) || value === '0x') {
      throw new WalletError('the value of the transaction is not hexadecimal with 0x');
    }
    return { node, call: { to, data, value: BigInt(value) } };
  }

  /** Signs a call as a transaction and hands it to the node. */
  async #send(node: PublicClient, chainId: number, call: TransactionCall, signal: AbortSignal | undefined): Promise<Hex> {
    signal?.throwIfAborted();
    try {
      const actual = await node.getChainId();
      if (actual !== chainId) {
        throw new WalletError(`the node is of chain ${actual}, and the transaction is for ${chainId}`);
      }
      const gas = await node.estimateGas({ account: this.address, ...call });
      const { baseFeePerGas } = await node.getBlock();
      if (baseFeePerGas === null) {
        throw new WalletError(`chain ${chainId} has no base fee (EIP-1559)`);
      }
      const tip = BigInt(await node.request({ method: 'eth_maxPriorityFeePerGas' }));
      const nonce = await node.getTransactionCount({ address: this.address, blockTag: 'pending' });
      const signed = await this.#account.signTransaction({
        type: 'eip1559',
        chainId,
        nonce,
        ...call,
        gas: gas + gas / 5n,
        maxPriorityFeePerGas: tip,
        maxFeePerGas: tip + 2n * baseFeePerGas,
      });
      signal?.throwIfAborted();
      await node.sendRawTransaction({ serializedTransaction: signed });
      return keccak256(signed);
    } catch (error) {
      if (error instanceof WalletError || signal?.aborted) {
        throw error;
      }
      throw new WalletError('the transaction was not sent', { cause: error });
    }
  }
}

interface TransactionCall {
  to: Hex;
  data: Hex;
  value: bigint;
}

function isHex(text: string): text is Hex {
  return /^0x[0-9a-fA-F]*$/.test(text);
}
