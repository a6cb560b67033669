/** Options that answer like Express, Hono, Middy and Powertools, for services whose clients must not notice a migration. */
export { type CompatOptions, expressCompat, honoCompat, middyCompat, powertoolsCompat } from './compat/presets.js';
