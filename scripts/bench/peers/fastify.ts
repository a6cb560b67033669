import type { Handlers } from '../invoke.js';
import { handlers as http } from './fastify-http.js';
import { createSecure } from './fastify-secure.js';

export const handlers: Handlers = { ...http, secure: createSecure, 'secure-new': createSecure };
