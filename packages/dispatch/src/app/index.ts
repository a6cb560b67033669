export { type App, type AppOptions, createApp, type SurfaceOptions } from './app.js';
