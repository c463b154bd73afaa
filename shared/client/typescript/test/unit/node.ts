/** An Ethereum node on this machine, as far as a wallet needs one. */
import { createServer, type Server } from 'node:http';
import { type Hex, keccak256, parseTransaction, type TransactionSerializableEIP1559, toHex } from 'viem';

export class TestNode {
  chainId = 8453;
  baseFee: bigint | null = 1000n;
  readonly sent: { raw: Hex; read: TransactionSerializableEIP1559 }[] = [];
  /** How often a receipt is not there yet, and how often it cannot be had. */
  unmined = 0;
  broken = 0;
  /** What is sent does nothing. */
  reverts = false;
  /** What is asked could not succeed. */
  refuses = false;
  /** Called whenever a receipt is asked for. */
  onReceipt: () => void = () => undefined;
  readonly #server: Server;
  url = '';

  constructor() {
    this.#server = createServer((request, response) => {
      let text = '';
      request.on('data', (chunk) => {
        text += chunk;
      });
      request.on('end', () => {
        const { id, method, params } = JSON.parse(text);
        let answer: object;
        try {
          answer = { result: this.#answer(method, params) };
        } catch (error) {
          answer = { error: { code: 3, message: String(error) } };
        }
        response.setHeader('Content-Type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
      });
    });
  }

  async open(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#server.listen(0, '127.0.0.1', resolve);
    });
    const address = this.#server.address();
    if (address === null || typeof address === 'string') {
      throw new Error('the server has no port');
    }
    this.url = `http://127.0.0.1:${address.port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #answer(method: string, params: Hex[]): unknown {
    switch (method) {
      case 'eth_chainId':
        return toHex(this.chainId);
      case 'eth_estimateGas':
        if (this.refuses) {
          throw new Error('execution reverted');
        }
        return toHex(50_000);
      case 'eth_getBlockByNumber':
        return { number: '0x64', transactions: [], ...(this.baseFee === null ? {} : { baseFeePerGas: toHex(this.baseFee) }) };
      case 'eth_maxPriorityFeePerGas':
        return toHex(50);
      case 'eth_getTransactionCount':
        return toHex(7 + this.sent.length);
      case 'eth_sendRawTransaction': {
        const [raw = '0x'] = params;
        const read = parseTransaction(raw);
        if (read.type !== 'eip1559') {
          throw new Error(`a transaction of type ${read.type}`);
        }
        this.sent.push({ raw, read });
        return keccak256(raw);
      }
      case 'eth_getTransactionReceipt':
        return this.#receipt(params[0]);
    }
    throw new Error(`unknown method ${method}`);
  }

  #receipt(hash: Hex | undefined): object | null {
    this.onReceipt();
    if (this.broken > 0) {
      this.broken--;
      throw new Error('busy');
    }
    if (this.unmined > 0) {
      this.unmined--;
      return null;
    }
    return { transactionHash: hash, status: this.reverts ? '0x0' : '0x1', blockNumber: '0x65', logs: [] };
  }
}
