/**
 * The service that the browser tests ask: built with the console of the present sources in it, started on the sample market with a data
 * folder of its own, and stopped and forgotten in the end.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../../..');
const consoleFolder = join(root, 'infra/console');

/** How long starting, filling the boards, and ending may take, in milliseconds. */
const [startsWithin, fillsWithin, endsWithin] = [60_000, 8 * 60_000, 15_000];

/** A running service: where it is, a key to it, and how to end it. */
export type Service = { url: string; key: string; stop: () => Promise<void> };

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}

/**
 * Builds the service into a folder. The console in it is that of the sources, in place of what is committed in dist: the tests are of what
 * is here now, and leave the working tree as it is.
 */
async function build(folder: string): Promise<string> {
  const [committed, built] = [join(consoleFolder, 'dist'), join(folder, 'dist')];
  await run('node_modules/.bin/vite', ['build', '--outDir', built, '--emptyOutDir', '--logLevel', 'warn'], { cwd: consoleFolder });
  // In an overlay an empty path stands for a file that is not there.
  const replace = Object.fromEntries((await filesBelow(committed)).map((name) => [join(committed, name), '']));
  for (const name of await filesBelow(built)) {
    replace[join(committed, name)] = join(built, name);
  }
  const overlay = join(folder, 'overlay.json');
  await writeFile(overlay, JSON.stringify({ Replace: replace }));
  const program = join(folder, 'local');
  await run('go', ['build', '-buildvcs=false', '-overlay', overlay, '-o', program, './infra/local'], { cwd: root });
  return program;
}

/** Ends a process: asked first, then made to. */
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) {
    return;
  }
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  const unasked = setTimeout(() => child.kill('SIGKILL'), endsWithin);
  await gone;
  clearTimeout(unasked);
}

/** The ready line of the service, with its address and its key. */
async function readyLine(child: ChildProcess, log: () => string): Promise<{ url: string; key: string }> {
  let said = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  for (const until = Date.now() + startsWithin; Date.now() < until; await wait(50)) {
    const [, url, key] = /^ready (http\S+) key=(\S+)$/m.exec(said) ?? [];
    if (url !== undefined && key !== undefined) {
      return { url, key };
    }
    if (child.exitCode !== null) {
      throw new Error(`the service ended before it was ready: ${log()}`);
    }
  }
  throw new Error(`the service was not ready within ${startsWithin / 1000} seconds: ${log()}`);
}

/** Waits until the boards of a service that was just started have rows: that the first round of its jobs is done. */
async function boardsFilled(url: string, key: string): Promise<void> {
  const boards = ['trader-board', 'copy/spot-leaders', 'copy/leaders?venue=perpvenue-perps'];
  for (const until = Date.now() + fillsWithin; ; await wait(500)) {
    const empty: string[] = [];
    for (const board of boards) {
      const answer = await fetch(`${url}/v1/${board}`, { headers: { Authorization: `Bearer ${key}` } });
      const body = (await answer.json()) as { rows?: unknown[] };
      if (!answer.ok || !body.rows?.length) {
        empty.push(board);
      }
    }
    if (empty.length === 0) {
      return;
    }
    if (Date.now() > until) {
      throw new Error(`no rows within ${fillsWithin / 60_000} minutes: ${empty.join(', ')}`);
    }
  }
}

/** Builds and starts a service. `settings` are environment variables for it. */
export async function startService(settings: Record<string, string> = {}): Promise<Service> {
  const folder = await mkdtemp(join(tmpdir(), 'console-browser-'));
  let child: ChildProcess | undefined;
  // What runs must not outlive the tests, in whatever way they end.
  const onExit = () => {
    child?.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', onExit);
  const stop = async () => {
    if (child) {
      await end(child);
    }
    process.removeListener('exit', onExit);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const program = await build(folder);
    const data = join(folder, 'data');
    await mkdir(data);
    child = spawn(program, {
      cwd: root,
      env: { PATH: process.env.PATH, PORT: '0', DATA_DIR: data, LOG_LEVEL: 'warn', ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let log = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      log = (log + text).slice(-10_000);
    });
    const { url, key } = await readyLine(child, () => log);
    await boardsFilled(url, key);
    return { url, key, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
