# SPDX-License-Identifier: MIT
"""XXH3-128 without a seed, in plain Python, from the published specification."""

SECRET = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f"
    "cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c"
    "3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
    "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364"
    "eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e"
    "2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e")
P32_1, P32_2, P32_3 = 0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D
P64_1, P64_2, P64_3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
P64_4, P64_5 = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5
MX1, MX2 = 0x165667919E3779F9, 0x9FB21C651E98DF25
M32, M64 = (1 << 32) - 1, (1 << 64) - 1


def r32(data, at):
    return int.from_bytes(data[at:at + 4], "little")


def r64(data, at):
    return int.from_bytes(data[at:at + 8], "little")


def swap32(v):
    return int.from_bytes(v.to_bytes(4, "little"), "big")


def swap64(v):
    return int.from_bytes(v.to_bytes(8, "little"), "big")


def rotl32(v, n):
    return (v << n | v >> (32 - n)) & M32


def xorshift(v, n):
    return v ^ v >> n


def xxh64_avalanche(h):
    h = xorshift(h, 33) * P64_2 & M64
    h = xorshift(h, 29) * P64_3 & M64
    return xorshift(h, 32)


def avalanche(h):
    h = xorshift(h, 37) * MX1 & M64
    return xorshift(h, 32)


def fold(a, b):
    product = a * b
    return (product ^ product >> 64) & M64


def len_1_to_3(data):
    n = len(data)
    low = data[0] << 16 | data[n >> 1] << 24 | data[n - 1] | n << 8
    high = rotl32(swap32(low), 13)
    low ^= r32(SECRET, 0) ^ r32(SECRET, 4)
    high ^= r32(SECRET, 8) ^ r32(SECRET, 12)
    return xxh64_avalanche(low), xxh64_avalanche(high)


def len_4_to_8(data):
    n = len(data)
    keyed = r32(data, 0) | r32(data, n - 4) << 32
    keyed ^= r64(SECRET, 16) ^ r64(SECRET, 24)
    product = keyed * (P64_1 + (n << 2) & M64)
    low, high = product & M64, product >> 64
    high = high + (low << 1) & M64
    low ^= high >> 3
    low = xorshift(low, 35) * MX2 & M64
    return xorshift(low, 28), avalanche(high)


def len_9_to_16(data):
    n = len(data)
    flip_low = r64(SECRET, 32) ^ r64(SECRET, 40)
    flip_high = r64(SECRET, 48) ^ r64(SECRET, 56)
    first, last = r64(data, 0), r64(data, n - 8)
    product = (first ^ last ^ flip_low) * P64_1
    low, high = product & M64, product >> 64
    low = low + (n - 1 << 54) & M64
    last ^= flip_high
    high = high + last + (last & M32) * (P32_2 - 1) & M64
    low ^= swap64(high)
    product = low * P64_2
    low, high = product & M64, (product >> 64) + high * P64_2 & M64
    return avalanche(low), avalanche(high)


def mix16(data, at, secret):
    return fold(r64(data, at) ^ r64(SECRET, secret), r64(data, at + 8) ^ r64(SECRET, secret + 8))


def mix32(acc, data, one, two, secret):
    low = acc[0] + mix16(data, one, secret) & M64
    low ^= r64(data, two) + r64(data, two + 8) & M64
    high = acc[1] + mix16(data, two, secret + 16) & M64
    high ^= r64(data, one) + r64(data, one + 8) & M64
    return low, high


def finish_mid(acc, n):
    low = acc[0] + acc[1] & M64
    high = acc[0] * P64_1 + acc[1] * P64_4 + n * P64_2 & M64
    return avalanche(low), -avalanche(high) & M64


def len_17_to_128(data):
    n = len(data)
    acc = n * P64_1 & M64, 0
    for i in range((n - 1) // 32, -1, -1):
        acc = mix32(acc, data, 16 * i, n - 16 * (i + 1), 32 * i)
    return finish_mid(acc, n)


def len_129_to_240(data):
    n = len(data)
    acc = n * P64_1 & M64, 0
    for i in range(4):
        acc = mix32(acc, data, 32 * i, 32 * i + 16, 32 * i)
    acc = avalanche(acc[0]), avalanche(acc[1])
    for i in range(4, n // 32):
        acc = mix32(acc, data, 32 * i, 32 * i + 16, 3 + 32 * (i - 4))
    return finish_mid(mix32(acc, data, n - 16, n - 32, 136 - 17 - 16), n)


def accumulate(acc, data, at, secret):
    for i in range(8):
        value = r64(data, at + 8 * i)
        key = value ^ r64(SECRET, secret + 8 * i)
        acc[i ^ 1] = acc[i ^ 1] + value & M64
        acc[i] = acc[i] + (key & M32) * (key >> 32) & M64


def merge(acc, secret, start):
    total = start
    for i in range(4):
        total += fold(acc[2 * i] ^ r64(SECRET, secret + 16 * i),
                      acc[2 * i + 1] ^ r64(SECRET, secret + 16 * i + 8))
    return avalanche(total & M64)


def longer(data):
    n = len(data)
    acc = [P32_3, P64_1, P64_2, P64_3, P64_4, P32_2, P64_5, P32_1]
    stripes = (len(SECRET) - 64) // 8
    blocks = (n - 1) // (64 * stripes)
    for block in range(blocks):
        for i in range(stripes):
            accumulate(acc, data, 64 * (block * stripes + i), 8 * i)
        for i in range(8):
            key = r64(SECRET, len(SECRET) - 64 + 8 * i)
            acc[i] = (xorshift(acc[i], 47) ^ key) * P32_1 & M64
    for i in range((n - 1 - blocks * 64 * stripes) // 64):
        accumulate(acc, data, 64 * (blocks * stripes + i), 8 * i)
    accumulate(acc, data, n - 64, len(SECRET) - 64 - 7)
    return (merge(acc, 11, n * P64_1 & M64),
            merge(acc, len(SECRET) - 64 - 11, ~(n * P64_2) & M64))


def xxh3_128(data):
    """The digest in canonical form: 16 bytes, big endian."""
    n = len(data)
    if n > 240:
        low, high = longer(data)
    elif n > 128:
        low, high = len_129_to_240(data)
    elif n > 16:
        low, high = len_17_to_128(data)
    elif n > 8:
        low, high = len_9_to_16(data)
    elif n > 3:
        low, high = len_4_to_8(data)
    elif n:
        low, high = len_1_to_3(data)
    else:
        low = xxh64_avalanche(r64(SECRET, 64) ^ r64(SECRET, 72))
        high = xxh64_avalanche(r64(SECRET, 80) ^ r64(SECRET, 88))
    return high.to_bytes(8, "big") + low.to_bytes(8, "big")
