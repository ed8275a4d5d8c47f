import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  base: '/console/',
  // Scripts find their files beside themselves, because a proxy can serve the console below another path.
  experimental: { renderBuiltUrl: (_, { hostType }) => (hostType === 'html' ? undefined : { relative: true }) },
  plugins: [react()],
  // A module, so that it loads the library for workbooks only if it reads one.
  worker: { format: 'es' },
  // Browsers with CSS `light-dark()`, which the build would otherwise replace by variables that the pages do not set.
  // One chunk: the whole console has less than 350 kB gzip.
  build: {
    outDir: '../dist/pages/console',
    emptyOutDir: true,
    target: ['chrome123', 'edge123', 'firefox120', 'safari17.5'],
    chunkSizeWarningLimit: 1_100,
  },
  // `npm run dev` in this folder: the console with hot reload, in front of a server on port 3000.
  server: { proxy: { '^/(?!console)': 'http://127.0.0.1:3000' } },
});
