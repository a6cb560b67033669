import { createService } from './app.js';
import { createPrincipalResolver } from './principal.js';

export const handler = createService({ principalResolver: createPrincipalResolver(process.env) }).handleLambda;
