import { gatewayV1Door } from '../../doors/gateway-v1.js';
import type { HttpDoors } from '../../doors/internal/event.js';

export const door: HttpDoors = { 'gateway-v1': gatewayV1Door };
