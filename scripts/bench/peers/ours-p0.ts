import { createOurs } from './ours.js';

export const handlers = createOurs('p0');
