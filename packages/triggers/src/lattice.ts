export { LatticeDoor, latticeDoor } from './sources/lattice.js';
