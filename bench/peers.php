<?php

/**
 * The contestants. One row each; lib/loops.php writes the loops from it, so that every contestant is called in the
 * same loop, from a file, with nothing between the loop and the call.
 *
 *   label   its name in the report
 *   scenes  its scenes: files in scenes/
 *   make    an expression for $limiter, made outside the loop; it may use $number
 *   key     an expression for $key from $id: outside the loop for one identity, inside for many
 *   call    the decision: true when admitted; it may use $limiter, $key, $id, $number
 *   admits  the admissions of many calls for a limit of $number (null: it limits nothing)
 *   random  false: takes no part in the 200,000 identities
 *   hundred its cost grows with its admissions: one identity's calls become 100 each of several
 *   keeps   its identity is the same in every round: the measurement is that of what it has learnt about it
 *   file    the file in lib/ that its call requires
 *   hold, places  peers/places.php
 *   needs   a class that it requires, or a function that returns whether it takes part
 */

return (require __DIR__ . '/peers/floors.php')
    + (require __DIR__ . '/peers/ours.php')
    + (require __DIR__ . '/peers/memory.php')
    + (require __DIR__ . '/peers/redis.php')
    + (require __DIR__ . '/peers/places.php');
