export { type App, type AppOptions, createApp } from './container/app.js';
export type { SocketFacts, SurfaceOptions } from './container/options.js';
