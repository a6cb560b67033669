// The one store that all instances share.
import { memoryMcpStore } from '../src/index.js';
import { serveStore } from './store-wire.js';

process.on('disconnect', () => process.exit(0));
process.send?.({ port: await serveStore(memoryMcpStore()) });
