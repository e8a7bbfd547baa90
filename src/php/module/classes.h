/* Registers the classes of ratelimit.stub.php. */
#ifndef PHP_RATELIMIT_CLASSES_H
#define PHP_RATELIMIT_CLASSES_H

/* Registers all classes, and sets the handlers of their objects, at module start-up. */
void php_ratelimit_classes_startup(void);

#endif
