export { type App, type AppOptions, createApp } from './container/app.js';
export type { SurfaceOptions } from './container/options.js';
