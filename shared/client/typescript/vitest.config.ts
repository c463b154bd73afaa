/** Two sets of tests: `unit` needs nothing, `service` builds and starts the real service, which needs Go. */
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const source = (name: string) => fileURLToPath(new URL(`src/${name}.ts`, import.meta.url));

/** The example imports the package by its name, as others do. */
const alias = [
  { find: /^@mirrorworthy\/client$/, replacement: source('index') },
  { find: /^@mirrorworthy\/client\/injected$/, replacement: source('injected') },
];

export default defineConfig({
  test: {
    projects: [
      { resolve: { alias }, test: { name: 'unit', include: ['test/unit/**/*.test.ts'] } },
      {
        resolve: { alias },
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
