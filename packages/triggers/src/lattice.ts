export { LatticeDoor, latticeDoor } from './kinds/lattice.js';
