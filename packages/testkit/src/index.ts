// Events
export * from './events.js';
