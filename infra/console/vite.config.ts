import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const client = fileURLToPath(new URL('../../shared/client/typescript/src/', import.meta.url));

const service = process.env.SERVICE ?? 'http://127.0.0.1:3000';

// The console is served at the root of its host, by the service itself or by a content network. Nothing is put into the page or into
// scripts as text: the content security policy allows files of the console's own alone.
export default defineConfig({
  base: '/',
  build: {
    outDir: 'dist',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    target: 'es2022',
  },
  resolve: {
    alias: [
      { find: /^@mirrorworthy\/client$/, replacement: `${client}index.ts` },
      { find: /^@mirrorworthy\/client\/(.+)$/, replacement: `${client}$1.ts` },
    ],
  },
  server: {
    proxy: {
      // Wallets sign in to the host that the page is on, and the service holds them to the host that it was called by.
      '/v1': { target: service, changeOrigin: false },
      '/sample': { target: service, changeOrigin: false },
    },
  },
});
