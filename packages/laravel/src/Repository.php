<?php

namespace FrequencyLimit\Laravel;

use Illuminate\Cache\Repository as LaravelRepository;

use function Illuminate\Support\enum_value;

/** Laravel's cache, whose funnels take concurrent places of the extension. */
class Repository extends LaravelRepository
{
    /** Takes the place of another repository, with all that it has. */
    public static function of(LaravelRepository $replaced, Places $places): self
    {
        $repository = new self($replaced->store);
        foreach (get_object_vars($replaced) as $property => $value) {
            $repository->$property = $value;
        }
        $repository->places = $places;

        return $repository;
    }

    private Places $places;

    /** {@inheritdoc} */
    public function funnel($name)
    {
        return new CacheFunnel($this, (string) enum_value($name), $this->places, $this->config['store'] ?? '');
    }
}
