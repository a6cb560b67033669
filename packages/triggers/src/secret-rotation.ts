export type { EventContext, EventHandler } from '@sallyport/streams/delivery';
export {
  SecretRotation,
  type SecretRotationStep,
  type SecretRotationSteps,
  secretRotation,
} from './kinds/secret-rotation.js';
