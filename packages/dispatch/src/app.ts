export { type App, createApp } from './container/app.js';
export type { AppOptions, SurfaceOptions } from './container/options.js';
