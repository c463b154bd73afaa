/** Takes webhooks on this machine, as a partner's server would. */
import { createServer, type Server } from 'node:http';
import { verifyWebhook, type WebhookEvent } from '../../src/index.js';

export class Receiver {
  readonly #server: Server;
  readonly events = new Map<string, WebhookEvent>();
  readonly refused: unknown[] = [];
  secret = '';
  url = '';

  constructor(now: () => number) {
    this.#server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) {
        chunks.push(chunk);
      }
      try {
        const event = await verifyWebhook([this.secret], request.headers, Buffer.concat(chunks), now());
        this.events.set(event.id, event);
        response.statusCode = 204;
      } catch (error) {
        this.refused.push(error);
        response.statusCode = 400;
      }
      response.end();
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
    this.url = `http://127.0.0.1:${address.port}/mirrorworthy`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
