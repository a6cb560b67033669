export type { EventContext, EventHandler } from '@sallyport/streams/delivery';
export { type Alarm, AlarmAction, alarmAction } from './kinds/alarm.js';
