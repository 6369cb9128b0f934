"""Chinese from one script to the other, character by character: a table by hand.

It is no part of nearcopy, whose own tables it is to check.
"""

# A traditional character and its simplified form.
PAIRS = """
並并 來来 個个 們们 備备 債债 價价 億亿 內内 兩两 則则 劃划 動动 勢势 區区 卻却 員员 問问 啟启
單单 圖图 團团 報报 場场 學学 實实 審审 寫写 將将 專专 對对 導导 嵐岚 師师 帶带 幹干 廂厢 廠厂
強强 後后 復复 應应 撥拨 擊击 擔担 據据 擬拟 攝摄 數数 於于 時时 會会 東东 條条 業业 標标 樣样
橋桥 機机 檢检 歡欢 歷历 氣气 沒没 淨净 測测 湧涌 溫温 滲渗 滿满 漲涨 濕湿 災灾 為为 環环 產产
當当 發发 監监 眾众 稱称 積积 窪洼 節节 籌筹 約约 級级 組组 給给 經经 綠绿 網网 緊紧 線线 緩缓
縣县 總总 織织 繞绕 續续 聽听 與与 興兴 舊旧 萬万 藍蓝 處处 號号 蝦虾 衝冲 裝装 規规 親亲 計计
訊讯 討讨 訓训 記记 設设 許许 試试 該该 說说 誰谁 課课 調调 請请 諾诺 證证 議议 讀读 變变 讓让
負负 財财 責责 買买 費费 賀贺 資资 賣卖 質质 趨趋 車车 較较 輛辆 輪轮 轉转 辯辩 農农 這这 連连
運运 過过 達达 鄰邻 醫医 錢钱 鍵键 鏡镜 鐘钟 長长 閉闭 開开 間间 閱阅 關关 陣阵 陸陆 階阶 險险
難难 雲云 電电 霽霁 響响 頃顷 項项 預预 頭头 題题 類类 顯显 風风 飯饭 養养 餘余 體体 魚鱼 點点
麼么 畝亩 從从 儀仪 傳传 傷伤 側侧 蘭兰 減减 幾几 剛刚 勞劳 雙双 葉叶 噸吨 園园 媽妈 屬属 歲岁
崗岗 嶺岭 彎弯 錄录 戶户 搶抢 護护 揀拣 擋挡 損损 無无 欄栏 斷断 現现 療疗 種种 睜睁 紀纪 紹绍
繃绷 纏缠 罰罚 紅红 脫脱 訂订 訴诉 貨货 購购 賞赏 載载 邊边 還还 遠远 釋释 鐵铁 鏈链 門门 須须
頂顶 駛驶 駕驾 駱骆 鮮鲜 爛烂 溝沟 採采 國国 華华 語语 愛爱 龍龙 馬马 鳥鸟 書书 見见 覺觉 觀观
認认 識识 論论 談谈 謝谢 銀银 鋼钢
"""
# Several traditional characters of one simplified form, which has itself for a traditional one.
MERGED = "佈布 週周 臺台 裡里 裏里 溼湿 汙污 爲为 帳账"

_SIMPLIFIED = str.maketrans({pair[0]: pair[1] for pair in f"{PAIRS} {MERGED}".split()})
_TRADITIONAL = str.maketrans({pair[1]: pair[0] for pair in PAIRS.split()})


def simplified(text: str) -> str:
    """The text in simplified characters.

    >>> simplified("環湖線通車")
    '环湖线通车'
    """
    return text.translate(_SIMPLIFIED)


def traditional(text: str) -> str:
    """The text in traditional characters.

    >>> traditional("环湖线通车")
    '環湖線通車'
    """
    return text.translate(_TRADITIONAL)
