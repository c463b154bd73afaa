import { defineConfig } from '@playwright/test';

// Every run builds the console from its sources and starts a service of its own on the sample market (browser/setup.ts), unless
// SERVICE_URL and SERVICE_KEY name one that runs. Its boards are filled before the first test.
export default defineConfig({
  testDir: 'browser',
  // Copying moves the clock of the market, by which all others tell the time too: it comes last.
  projects: process.env.SCREENSHOTS
    ? [{ name: 'screenshots', testMatch: 'screenshots.ts' }]
    : [
        { name: 'screens', testMatch: '*.spec.ts', testIgnore: 'copy.spec.ts' },
        { name: 'copying', testMatch: 'copy.spec.ts', dependencies: ['screens'], fullyParallel: false },
      ],
  globalSetup: './browser/setup.ts',
  globalTimeout: 15 * 60_000,
  timeout: 60_000,
  expect: { timeout: 15_000 },
  fullyParallel: true,
  workers: 2,
  retries: 0,
  forbidOnly: Boolean(process.env.CI),
  reporter: [['list']],
  outputDir: 'test-results',
  use: {
    viewport: { width: 1280, height: 800 },
    colorScheme: 'light',
    locale: 'en-GB',
    timezoneId: 'UTC',
    trace: 'retain-on-failure',
    launchOptions: {
      executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
    },
  },
});
