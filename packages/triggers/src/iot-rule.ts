// Made from kinds/iot-rule.ts by `npm run docs`; the gate `pages` fails when the two differ. Do not edit.
export type { EventContext, EventHandler } from '@sallyport/streams/delivery';
export { type IotMessage, type IotRuleOptions, IotRuleTrigger, iotRule } from './kinds/iot-rule.js';
