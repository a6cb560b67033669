// Made from kinds/alarm.ts by `npm run docs`; the gate `pages` fails when the two differ. Do not edit.
export type { EventContext, EventHandler } from '@sallyport/streams/delivery';
export { type Alarm, AlarmAction, alarmAction } from './kinds/alarm.js';
