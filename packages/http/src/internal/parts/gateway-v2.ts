import { gatewayV2Door } from '../../doors/gateway-v2.js';
import type { HttpDoors } from '../../doors/internal/event.js';

export const door: HttpDoors = { 'gateway-v2': gatewayV2Door };
