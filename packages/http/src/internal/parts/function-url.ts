import type { HttpDoors } from '../../doors/internal/event.js';
import { functionUrlDoor } from '../../doors/internal/gateway-v2.js';

export const door: HttpDoors = { 'function-url': functionUrlDoor };
