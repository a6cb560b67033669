const express = require('express');
const controller = require('../controllers/notes');

const router = express.Router();

router.get('/', controller.list);
router.post('/', controller.create);
router.get('/:id', controller.get);
router.patch('/:id', controller.update);
router.delete('/:id', controller.remove);
router.get('/:id/raw', controller.raw);

module.exports = router;
