export { type App, type AppOptions, createApp, type SurfaceOptions } from './container/app.js';
