export { HOOK_KINDS, hooks } from '../../pipeline/hooks.js';
