<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Redis;

/** The TLS options of a DSN. */
final class Tls
{
    public bool $on = false;
    public bool $verify = true;
    public string $ca = '';
    public string $cert = '';
    public string $key = '';
    public string $verifyName = '';

    /**
     * Returns the options of PHP's stream context "ssl".
     *
     * @return array<string, bool|string>
     */
    public function contextOptions(string $host): array
    {
        $options = [
            'verify_peer' => $this->verify,
            'verify_peer_name' => $this->verify,
            'peer_name' => $this->verifyName !== '' ? $this->verifyName : $host,
            'SNI_enabled' => true,
        ];
        if ($this->ca !== '') {
            $options[is_dir($this->ca) ? 'capath' : 'cafile'] = $this->ca;
        }
        if ($this->cert !== '') {
            $options['local_cert'] = $this->cert;
            $options['local_pk'] = $this->key !== '' ? $this->key : $this->cert;
        }
        return $options;
    }
}
