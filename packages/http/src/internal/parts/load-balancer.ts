import type { HttpDoors } from '../../doors/internal/event.js';
import { loadBalancerDoor } from '../../doors/internal/load-balancer.js';

export const door: HttpDoors = { 'load-balancer': loadBalancerDoor };
