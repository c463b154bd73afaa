/** Two sets of tests: `unit` needs nothing, `service` builds and starts the real service, which needs Go. */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      { test: { name: 'unit', include: ['test/unit/**/*.test.ts'] } },
      {
        test: {
          name: 'service',
          include: ['test/service/**/*.test.ts'],
          globalSetup: ['test/service/setup.ts'],
          testTimeout: 120_000,
          hookTimeout: 600_000,
        },
      },
    ],
  },
});
