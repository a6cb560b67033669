/** What sessions with a store do beyond answering: parking, coming back, cancelling, listening. Loaded on first use. */
export { takeAnswer } from './answers.js';
export { newCallStream } from './call-stream.js';
export { cancelRequest, isCancelled } from './cancel.js';
export { hold } from './hold.js';
export { subscribe, unsubscribe } from './session-subscriptions.js';
