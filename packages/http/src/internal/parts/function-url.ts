import { functionUrlDoor } from '../../doors/gateway-v2.js';
import type { HttpDoors } from '../../doors/internal/event.js';

export const door: HttpDoors = { 'function-url': functionUrlDoor };
