<?php

namespace App\Message;

final class Job
{
}
