import { rmSync } from 'node:fs';
import { bundle } from './bundle.js';

rmSync('dist', { recursive: true, force: true });
await bundle('dist');
