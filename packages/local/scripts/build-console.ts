// Builds the page of the console and the program of its thread, which the published package contains.
import { rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { buildConsole } from '../src/internal/console/build.js';
import { BUILT_THREAD, buildThread } from '../src/internal/console/thread-program.js';

const folder = fileURLToPath(new URL('../dist/console', import.meta.url));
await rm(folder, { recursive: true, force: true });
await buildConsole(folder);
await writeFile(BUILT_THREAD, await buildThread());
