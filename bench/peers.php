<?php

/**
 * Who is measured. One row each; lib/loops.php writes the loops from it, so that every contestant is called in the
 * same loop, from a file, with nothing between the loop and the call.
 *
 *   label   what the report calls it
 *   scenes  where it takes part: the files in scenes/
 *   make    an expression for $limiter, made outside the loop; it may use $number
 *   key     an expression for $key from $id: outside the loop for one identity, inside for many
 *   call    the decision: true when admitted; it may use $limiter, $key, $id, $number
 *   admits  how many of many calls pass for a limit of $number (null: it limits nothing)
 *   random  false: takes no part in the 200,000 identities
 *   hundred its cost grows with the calls admitted: where one identity's are counted, they are 100 each of several
 *   needs   a class without which it does not take part, or a function that says whether it does
 */

return (require __DIR__ . '/peers/floors.php')
    + (require __DIR__ . '/peers/ours.php')
    + (require __DIR__ . '/peers/memory.php')
    + (require __DIR__ . '/peers/redis.php');
