import type { Handlers } from '../invoke.js';
import { handlers as http } from './hono-http.js';
import { createSecure } from './hono-secure.js';

export const handlers: Handlers = { ...http, secure: createSecure, 'secure-new': createSecure };
