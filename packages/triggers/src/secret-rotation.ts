// Made from kinds/secret-rotation.ts by `npm run docs`; the gate `pages` fails when the two differ. Do not edit.
export type { EventContext, EventHandler } from '@sallyport/streams/delivery';
export {
  SecretRotation,
  type SecretRotationStep,
  type SecretRotationSteps,
  secretRotation,
} from './kinds/secret-rotation.js';
