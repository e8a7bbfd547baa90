<?php

namespace FrequencyLimit\Laravel;

use Illuminate\Cache\CacheManager as LaravelCacheManager;
use Illuminate\Contracts\Cache\Store;

/** Laravel's cache manager, whose repositories have the funnels of the extension. */
class CacheManager extends LaravelCacheManager
{
    private Places $places;

    /** Takes the place of another manager, with its own drivers. Stores that it has made already are as they were. */
    public static function of(LaravelCacheManager $replaced, Places $places): self
    {
        $manager = new self($replaced->app);
        foreach (get_object_vars($replaced) as $property => $value) {
            $manager->$property = $value;
        }
        $manager->places = $places;

        return $manager;
    }

    /** {@inheritdoc} */
    public function repository(Store $store, array $config = [])
    {
        return Repository::of(parent::repository($store, $config), $this->places);
    }
}
