/** Builds the service, starts it on a free port with data of its own, waits until there is somebody to copy, and stops it at the end. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';
import { Client } from '../../src/index.js';

/** Where the service answers, and the key for it. */
export interface Service {
  url: string;
  key: string;
}

declare module 'vitest' {
  export interface ProvidedContext {
    service: Service;
  }
}

const repository = fileURLToPath(new URL('../../../../..', import.meta.url));
const buildWithinMs = 540_000;
const readyWithinMs = 60_000;
const boardsWithinMs = 480_000;
const stopWithinMs = 15_000;

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const data = await mkdtemp(join(tmpdir(), 'mirrorworthy-client-'));
  const binary = join(data, 'local');
  let server: ChildProcess | undefined;
  const kill = () => server?.kill('SIGKILL');
  const stop = async () => {
    if (server !== undefined && server.exitCode === null && server.signalCode === null) {
      const ended = once(server, 'exit');
      server.kill('SIGTERM');
      const timer = setTimeout(kill, stopWithinMs);
      await ended;
      clearTimeout(timer);
    }
    process.off('exit', kill);
    await rm(data, { recursive: true, force: true });
  };
  // Whatever ends this process ends the service with it.
  process.on('exit', kill);
  try {
    const build = ['build', '-buildvcs=false', '-o', binary, './infra/local'];
    await promisify(execFile)('go', build, { cwd: repository, timeout: buildWithinMs });
    const env = { ...process.env, PORT: '0', DATA_DIR: join(data, 'data') };
    server = spawn(binary, { cwd: repository, env, stdio: ['ignore', 'pipe', 'ignore'] });
    const service = await ready(server);
    await boards(service);
    project.provide('service', service);
    return stop;
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Reads where the service answers from what it prints. */
async function ready(server: ChildProcess): Promise<Service> {
  if (server.stdout === null) {
    throw new Error('what the service prints is not read');
  }
  const lines = createInterface({ input: server.stdout });
  const timer = setTimeout(() => lines.close(), readyWithinMs);
  try {
    for await (const line of lines) {
      const [, url, key] = /^ready (http:\S+) key=(\S+)/.exec(line) ?? [];
      if (url !== undefined && key !== undefined) {
        // What is printed after it is taken off, so that the service never waits for a reader.
        server.stdout.resume();
        return { url, key };
      }
    }
  } finally {
    clearTimeout(timer);
  }
  throw new Error('the service did not start');
}

/** Waits until the boards are filled, which takes a minute or two after the first start. */
async function boards({ url, key }: Service): Promise<void> {
  const client = new Client({ baseUrl: `${url}/v1`, apiKey: key });
  const until = Date.now() + boardsWithinMs;
  for (const venue of ['dexvenue-spot', 'perpvenue-perps'] as const) {
    while ((await client.get('/copy/leaders', { venue })).rows.length === 0) {
      if (Date.now() > until) {
        throw new Error(`nobody can be copied at ${venue}`);
      }
      await sleep(1000);
    }
  }
}
