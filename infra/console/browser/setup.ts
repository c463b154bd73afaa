/**
 * Before all tests: the service that they ask. SERVICE_URL and SERVICE_KEY name one that runs already, and CONSOLE_URL where its console
 * is, when that is elsewhere, as with `npx vite`. What the tests are told is in the same environment variables.
 */
import { startService } from './service';

/** When the market of the pictures stands still, so that they change with the console alone. */
export const pictureTime = '2026-09-01T12:00:00Z';

export default async function setup(): Promise<() => Promise<void>> {
  if (process.env.SERVICE_URL) {
    if (!process.env.SERVICE_KEY) {
      throw new Error('SERVICE_URL is set: set SERVICE_KEY to a key of that service too');
    }
    process.env.CONSOLE_URL ||= process.env.SERVICE_URL;
    return async () => {};
  }
  const service = await startService(process.env.SCREENSHOTS ? { CLOCK: pictureTime, SAMPLE_SEED: '1' } : {});
  Object.assign(process.env, { SERVICE_URL: service.url, SERVICE_KEY: service.key, CONSOLE_URL: service.url });
  return service.stop;
}
