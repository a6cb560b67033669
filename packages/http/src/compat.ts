/** Options that answer like Express, Hono, Middy and Powertools, for services with clients that rely on these answers. */
export { type CompatOptions, expressCompat, honoCompat, middyCompat, powertoolsCompat } from './compat/presets.js';
