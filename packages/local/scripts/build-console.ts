// Builds the page of the console into dist/console, which the published package contains.
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { buildConsole } from '../src/internal/console/build.js';

const folder = fileURLToPath(new URL('../dist/console', import.meta.url));
await rm(folder, { recursive: true, force: true });
await buildConsole(folder);
